import { All, Controller, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CredentialsRequired } from '../../common/auth/auth.errors.js';
import { challengeFor } from '../../common/auth/challenge.js';
import { Public } from '../../common/http/current-user.decorator.js';
import { OpenRequests } from '../../common/http/open-requests.js';
import { senderOfUser } from '../../common/http/sender.js';
import { readProxyAddress } from './proxy-address.js';
import { ProxyForwarder } from './proxy-forwarder.service.js';
import { ProxyGate, type AdmittedProxyRequest } from './proxy-gate.service.js';

/** Proxies browsers to apps. Public, because the declared routes of each app control access. */
@Public()
@Controller(['apps/app_api/proxy', 'exapps'])
export class ProxyController {
  constructor(
    private readonly gate: ProxyGate,
    private readonly forwarder: ProxyForwarder,
    private readonly requests: OpenRequests,
  ) {}

  @All([':appId', ':appId/*other'])
  async pass(@Req() request: Request, @Res() response: Response): Promise<void> {
    const admitted = await this.#admit(request, response);
    await this.forwarder.forward(admitted, request, response);
  }

  async #admit(request: Request, response: Response): Promise<AdmittedProxyRequest> {
    try {
      this.requests.toApp(request, readProxyAddress(request.url)?.appId ?? '');
      const admitted = await this.gate.admit(request);
      const { account, app } = admitted;
      if (account === undefined) {
        this.requests.toApp(request, app.appId, true);
      } else {
        this.requests.known(request, senderOfUser(account.userId));
      }
      return admitted;
    } catch (error) {
      const challenge = error instanceof CredentialsRequired ? challengeFor(request) : null;
      if (challenge !== null) {
        response.setHeader('WWW-Authenticate', challenge);
      }
      throw error;
    }
  }
}
