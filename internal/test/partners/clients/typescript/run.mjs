import process from 'node:process';
import {conform} from './conformance.mjs';

console.log(JSON.stringify(await conform(process.env)));
