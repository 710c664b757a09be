import { describe, expect, it } from 'vitest';
import { filledTemplate } from './send-templates.js';

const VALUES = {
  url: 'https://example.org/a?b=1&c',
  title: 'Cats & "dogs"',
  text: 'x'.repeat(9000),
};
const fill = (address: string) => filledTemplate({ name: 'A', address }, VALUES);

describe('A link that sends an article on', () => {
  it('has its gaps filled percent-encoded, and long texts cut.', () => {
    expect(fill('https://social.example/share?text={title}%20{url}')).toBe(
      'https://social.example/share?text=Cats%20%26%20%22dogs%22%20https%3A%2F%2Fexample.org%2Fa%3Fb%3D1%26c',
    );
    expect(fill('obsidian://new?name={title}&content={text}')).toMatch(/&content=x{1500}$/);
  });

  it.each([
    'javascript:alert({url})',
    'data:text/html,{title}',
    'vbscript:{url}',
    'file:///{url}',
    'https://{title}/',
    'https://example.org{url}',
    'https://example.org/nothing',
    ' javascript:{url}',
    'java\nscript:{url}',
  ])('is not followed if it is not safe: %j', (address) => {
    expect(fill(address)).toBeNull();
  });
});
