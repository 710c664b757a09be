import { Injectable } from '@nestjs/common';
import { CleanUpPace } from '../../../common/clean-up-pace.js';
import type { Grant } from '../../../common/ports/allowances.js';
import { Database } from '../../../database/database.js';

const CLEAN_UP_SECONDS = 3600;
const CLEAN_UP_ADDITIONS = 10_000;

interface WantedUse {
  readonly owner: string;
  readonly kind: string;
  readonly wanted: number;
  readonly most: number;
  readonly now: Date;
  /** End of a period that would begin now. */
  readonly endsAt: Date;
}

/** A row for each owner and kind in use; later uses remove expired rows. */
@Injectable()
export class AllowancesRepository {
  readonly #pace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(private readonly database: Database) {}

  /** Uses the rest, at most the wanted number; atomic among concurrent statements. */
  async use({ owner, kind, wanted, most, now, endsAt }: WantedUse): Promise<Grant> {
    const [grant] = await this.database.query<Grant>(
      `insert into used_allowance as u (owner, kind, ends_at, used, granted)
       values ($1, $2, $6, least($3::int, $4::int), least($3::int, $4::int))
       on conflict (owner, kind) do update set
         ends_at = case when u.ends_at > $5 then u.ends_at else $6 end,
         used = case when u.ends_at > $5
           then greatest(u.used, least(u.used + $3::int, $4::int)) else least($3::int, $4::int) end,
         granted = case when u.ends_at > $5
           then greatest(0, least($3::int, $4::int - u.used)) else least($3::int, $4::int) end
       returning u.granted, ceil(extract(epoch from u.ends_at - $5))::int as "waitSeconds"`,
      [owner, kind, wanted, most, now, endsAt],
    );
    if (this.#pace.add(now.getTime() / 1000)) {
      // Reads the whole table.
      await this.database.query('delete from used_allowance where ends_at <= $1', [now]);
    }
    if (grant === undefined) {
      throw new Error('The statement returns a row.');
    }
    return grant;
  }

  async removeOf(owner: string): Promise<void> {
    await this.database.query('delete from used_allowance where owner = $1', [owner]);
  }
}
