import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { NAMED_PARTS } from '../../../common/config/parts.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import {
  askParty,
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';

/**
 * Reports disabled parts, and whether the outgoing proxy answers. Parts that need settings of their own have
 * separate checks.
 */
@Injectable()
export class PartsCheck {
  constructor(
    private readonly config: Config,
    checks: InstallationChecks,
    private readonly http: OutgoingHttp,
  ) {
    checks.add('Parts', async () => [this.#finding()]);
    checks.add('Outgoing proxy', async () => this.#askProxy());
  }

  /** For itself: it may refuse that, but not the password. */
  async #askProxy(): Promise<CheckFinding[]> {
    const { origin, host } = URL.parse(this.config.outgoingProxy ?? '') ?? {};
    const request = { url: `http://${host}/`, addressPolicy: 'operator-configured' } as const;
    return origin === undefined
      ? []
      : askParty(origin, () => this.http.request(request), 'GATEFOLD_OUTGOING_PROXY');
  }

  #finding(): CheckFinding {
    const off = NAMED_PARTS.filter((part) => !this.config.parts.has(part));
    return off.length === 0
      ? { state: 'ok', text: 'All parts of the service are on.' }
      : {
          state: 'off',
          text: `These parts of the service are off: ${off.join(', ')}.`,
          advice: 'GATEFOLD_PARTS names the parts that are on.',
        };
  }
}
