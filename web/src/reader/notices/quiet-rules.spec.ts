import { expect, it } from 'vitest';
import { firstDayOf, formOf, settingsOf, timeZones, USUAL_QUIET, weekdays } from './quiet-rules.js';

const SETTINGS = {
  quiet: null,
  timeZone: 'Europe/Berlin',
  notWhileReading: true,
  mostPerRuleAndHour: 10,
};

it('Without quiet hours, the usual ones are offered, and are not saved.', () => {
  const form = formOf(SETTINGS);

  expect(form).toMatchObject({ isQuiet: false, from: '22:00', to: '07:00' });
  expect(settingsOf(form)).toEqual(SETTINGS);
});

it('Quiet hours are saved with their days in order.', () => {
  const quiet = { from: '21:30', to: '06:00', days: [1, 5] };
  const form = { ...formOf({ ...SETTINGS, quiet }), days: [5, 2, 1] };

  expect(settingsOf(form).quiet).toEqual({ ...quiet, days: [1, 2, 5] });
  expect(USUAL_QUIET.days).toHaveLength(7);
});

it('The week begins as the locale has it.', () => {
  expect(
    weekdays('en-GB', 1)
      .map(({ name }) => name)
      .join(' '),
  ).toBe('Mon Tue Wed Thu Fri Sat Sun');
  expect(weekdays('en-US', 7)[0]).toEqual({ day: 7, name: 'Sun' });
  expect([firstDayOf('en-US'), firstDayOf('de-DE')]).toEqual([7, 1]);
});

it('A time zone that the browser does not know is offered as well, once.', () => {
  expect(timeZones(['Europe/Berlin', 'Asia/Tokyo'], 'Asia/Tokyo')).toEqual([
    'Asia/Tokyo',
    'Europe/Berlin',
    'UTC',
  ]);
  expect(timeZones([], 'Mars/Olympus')).toContain('Mars/Olympus');
});
