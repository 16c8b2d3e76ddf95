import { setup } from './bundle-program.ts';
import { Program } from './end-to-end/program.ts';

const t0 = performance.now();
await setup();
console.log('bundle', Math.round(performance.now() - t0));
for (let i = 0; i < 6; i++) {
  const t = performance.now();
  const p = await Program.start();
  console.log('start', Math.round(performance.now() - t));
  const k = performance.now();
  await p.kill();
  p.cleanUp();
  console.log(' kill', Math.round(performance.now() - k));
}
