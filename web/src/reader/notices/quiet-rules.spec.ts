import { expect, it } from 'vitest';
import { formOf, settingsOf, weekdays } from './quiet-rules.js';

const SETTINGS = { quiet: null, timeZone: 'UTC', notWhileReading: true, mostPerRuleAndHour: 10 };

it('Without quiet hours, usual ones in the time zone of the browser are offered, and are not saved.', () => {
  const form = formOf(SETTINGS, 'Asia/Tokyo');

  expect(form).toMatchObject({ isQuiet: false, from: '22:00', to: '07:00', days: { length: 7 } });
  expect(settingsOf(form)).toEqual({ ...SETTINGS, timeZone: 'Asia/Tokyo' });
});

it('Quiet hours are saved in their time zone, with their days in order.', () => {
  const quiet = { from: '21:30', to: '06:00', days: [1, 5] };
  const form = formOf({ ...SETTINGS, quiet, timeZone: 'Europe/Berlin' }, 'Asia/Tokyo');

  expect(form).toMatchObject({ ...quiet, isQuiet: true, timeZone: 'Europe/Berlin' });
  expect(settingsOf({ ...form, days: [5, 2, 1] }).quiet).toEqual({ ...quiet, days: [1, 2, 5] });
});

it('The week begins as the locale has it.', () => {
  const named = (locale: string) => weekdays(locale).map(({ day, name }) => `${day} ${name}`);

  expect(named('en-GB').join(', ')).toBe('1 Mon, 2 Tue, 3 Wed, 4 Thu, 5 Fri, 6 Sat, 7 Sun');
  expect(named('en-US').slice(0, 2)).toEqual(['7 Sun', '1 Mon']);
});
