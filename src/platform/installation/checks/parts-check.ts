import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { NAMED_PARTS } from '../../../common/config/parts.js';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';

/** Reports disabled parts. Parts that need settings of their own have separate checks. */
@Injectable()
export class PartsCheck {
  constructor(
    private readonly config: Config,
    checks: InstallationChecks,
  ) {
    checks.add('Parts', async () => [this.#finding()]);
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
