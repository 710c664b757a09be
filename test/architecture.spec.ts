import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

describe('every file', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );

  it('has a meaningful name', () => {
    const vague = /(^|[/.-])(utils?|helpers?|misc|shared|core|index|types)\.ts$/;

    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  it('reads settings from the configuration, not from the environment', () => {
    const readers = files.filter(
      (file) =>
        !/^cli\b|\.commands?\.ts$|\/command-line\/terminal\.ts$/.test(file) &&
        !file.endsWith('.spec.ts') &&
        /process\.env(?!\['(?:PATH|NODE_EXTRA_CA_CERTS)'\])/.test(
          readFileSync(path.join(SOURCE, file), 'utf8'),
        ),
    );

    expect(readers).toEqual([]);
  });
});
