/**
 * `node to-typescript.mjs < documents.yaml`: prints a TypeScript module in which each document is a
 * value of its Kubernetes type, so that the compiler finds unknown, missing and wrong fields.
 */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

const kinds = [];
parseAllDocuments(readFileSync(0, 'utf8')).forEach((document, n) => {
  if (document.errors.length > 0) {
    throw document.errors[0];
  }
  const object = document.toJS();
  if (object === null) {
    return;
  }
  const { apiVersion, kind } = object;
  const models = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  process.stdout.write(
    `import type { I${kind} as Kind${n} } from '${models}/${apiVersion}';\n` +
      `export const document${n}: Kind${n} = ${JSON.stringify(object, null, 2)};\n`,
  );
  kinds.push(kind);
});
process.stderr.write(`${kinds.sort().join(' ')}\n`);
