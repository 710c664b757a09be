import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** `--import`: writes the addresses of all modules of the process to the file in `LOADED_FILES` when it ends. */
const loaded = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED_FILES, loaded.join('\n')));
