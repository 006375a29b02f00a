// Reads a JSON list of texts and prints how many tokens each has, in the encoding
// o200k: node tokens.mjs FILE
import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

const texts = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log(JSON.stringify(texts.map((text) => encode(text).length)));
