import { expect, it } from 'vitest';
import { queryOf } from './event-query.js';

const ANY = { kind: '', user: '', actor: '', subject: '', address: '', text: '', from: '', to: '' };
const secondsOf = (...date: [number, number, number]) => String(new Date(...date).getTime() / 1000);

it('Days of a filter become their first moment, and the first one after the last.', () => {
  expect(queryOf({ ...ANY, user: 'ann', from: '2026-11-23', to: '2026-11-30' })).toEqual({
    ...ANY,
    user: 'ann',
    from: secondsOf(2026, 10, 23),
    to: secondsOf(2026, 11, 1),
  });
});

it.each(['', '2026', '2026-11', '2026-11-x'])('The unfinished day “%s” is none.', (day) => {
  expect(queryOf({ ...ANY, from: day, to: day })).toEqual(ANY);
});

it('A day before 1970 is the beginning of time.', () => {
  expect(queryOf({ ...ANY, from: '1960-01-01' }).from).toBe('0');
});
