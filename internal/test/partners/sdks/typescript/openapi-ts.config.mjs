export default {
  input: process.env.CONTRACT,
  // Node runs the client as it is, and wants to be told each file's name.
  output: {path: 'made/hey-api', importFileExtension: '.ts'},
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
