import { expect, it } from '@jest/globals';
import { readPeople } from './people.js';

it.each([
  ['Ann at ann@example.org', [{ name: 'Ann at', email: 'ann@example.org' }]],
  ['Ann, @ann.example', [{ name: 'Ann, @ann.example', email: null }]],
  ['ann@home and bob@home', [{ name: 'ann@home and bob@home', email: null }]],
])('The only email address in a text is that of its author: %s', (line, people) => {
  expect(readPeople(line)).toEqual(people);
});
