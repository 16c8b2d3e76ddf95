import { htmlPage, text } from '../html.ts';
import { connectBusiness } from './connect-business.ts';
import { connectMachine } from './connect-machine.ts';
import type { GuideFacts } from './guide-facts.ts';

/** The guide to connecting, first a machine, then an ERP or a forklift. */
export function guidePage(facts: GuideFacts): string {
  return htmlPage({
    title: 'plantgate: how to connect',
    navigation: `<strong>plantgate ${text(facts.version)}</strong>
<a href="/">Back to the page</a>
<a href="#machine">Connect a machine</a>
<a href="#three-ways">Three ways</a>
<a href="#what-fields-mean">What the fields mean</a>
<a href="#what-comes-back">What comes back</a>
<a href="#when-nothing-comes">When nothing comes</a>
<a href="#mistakes">Mistakes</a>
<a href="/docs/samples">Samples</a>
<a href="#business">Connect an ERP or a forklift</a>
<a href="#calls">Calls, with answers</a>
<a href="#errors">Errors</a>
<a href="/docs/reference">Reference</a>
<a href="/docs/manual">Manual</a>
<a href="/openapi.json">openapi.json</a>
<a href="/asyncapi.json">asyncapi.json</a>`,
    main: `<h1>How to connect</h1>\n${connectMachine(facts)}\n${connectBusiness(facts)}`,
  });
}
