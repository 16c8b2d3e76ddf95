import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

// Lints the document at an address with Redocly and Spectral, in a process of its own, and prints what they find as JSON.

/** The interface itself has paths that a template matches as well, such as `/warehouseTasks/locations`. */
const OFF = { 'no-ambiguous-paths': 'off' } as const;

const [address = ''] = process.argv.slice(2);
const source = await (await fetch(address)).text();
const config = await createConfig({ extends: ['recommended'], rules: OFF });
const byRedocly = await lintFromString({ source, absoluteRef: 'openapi.json', config });
const spectral = new spectralCore.Spectral();
// The two packages of Spectral have different types of one ruleset.
spectral.setRuleset({ extends: [[rulesets.oas as never, 'recommended']] });
const bySpectral = await spectral.run(JSON.parse(source));
console.log(
  JSON.stringify([
    ...byRedocly.map(({ ruleId, message, location }) => `Redocly ${ruleId} ${location[0]?.pointer}: ${message}`),
    ...bySpectral.map(({ code, message, path }) => `Spectral ${code} ${path.join('/')}: ${message}`),
  ]),
);
