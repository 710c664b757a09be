import { run } from './cli/run.js';
import { endOnSignals } from './common/last-acts.js';

endOnSignals();
await run(process.argv.slice(2));
