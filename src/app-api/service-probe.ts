import { Injectable } from '@nestjs/common';
import { OutgoingHttpError } from '../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../common/http/outgoing-http.js';
import { PublicAddress } from '../common/http/public-address.js';

const TIMEOUT_SECONDS = 3;

/** Whether the service runs where apps are told to call it. Commands run beside it, not in it. */
@Injectable()
export class ServiceProbe {
  constructor(
    private readonly outgoing: OutgoingHttp,
    private readonly address: PublicAddress,
  ) {}

  get root(): string {
    return this.address.root;
  }

  async answers(): Promise<boolean> {
    try {
      const { status } = await this.outgoing.request({
        url: this.address.of('health/ready'),
        timeoutSeconds: TIMEOUT_SECONDS,
        addressPolicy: 'operator-configured',
      });
      return status === 200;
    } catch (error) {
      if (error instanceof OutgoingHttpError) {
        return false;
      }
      throw error;
    }
  }
}
