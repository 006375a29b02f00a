import {conform} from './conformance.mjs';

export default {
  async fetch(_, env) {
    return Response.json(await conform(env));
  },
};
