/** Claims the task unless it was done within `everySeconds`; a time in the future does not count. */
export const TAKE_TURN = `
  insert into housekeeping (task, done_at) values ($1, now())
  on conflict (task) do update set done_at = now()
   where housekeeping.done_at <= now() - make_interval(secs => $2)
      or housekeeping.done_at > now() + interval '1 minute'
  returning 1`;
