import { createConfig, lintFromString } from '@redocly/openapi-core';

// Lints the document at an address, in a process of its own, and prints its errors as JSON.
const [address = ''] = process.argv.slice(2);
const source = await (await fetch(address)).text();
const config = await createConfig({ extends: ['spec'] });
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
console.log(JSON.stringify(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)));
