import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Capabilities } from '../../../common/ports/capabilities.js';

const POLL_INTERVAL_SECONDS = 60;

/** The host's colours, for pages of apps. */
const COLOURS = {
  color: '#00679e',
  'color-text': '#ffffff',
  'color-element': '#00679e',
  'color-element-bright': '#00679e',
  'color-element-dark': '#00679e',
  background: '#00679e',
  'background-plain': true,
  'background-default': true,
} as const;

/** Features of notifications; apps send none without this list. */
const NOTIFICATION_ENDPOINTS = ['list', 'get', 'delete', 'delete-all', 'exists', 'rich-strings'];

/** Capabilities of the host itself. */
@Injectable()
export class CoreCapabilities implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly address: PublicAddress,
  ) {}

  onModuleInit(): void {
    this.capabilities.contribute((account) => ({
      core: {
        pollinterval: POLL_INTERVAL_SECONDS,
        // Addresses without /index.php are supported.
        'mod-rewrite-working': true,
      },
      theming: {
        name: 'Gatefold',
        url: this.address.root,
        slogan: 'Feeds and external apps under one roof',
        logo: `${this.address.root}/core/img/app.svg`,
        ...COLOURS,
      },
      ...(account !== undefined && { notifications: { 'ocs-endpoints': NOTIFICATION_ENDPOINTS } }),
    }));
  }
}
