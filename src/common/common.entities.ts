import { GatewayFailureEntity } from './auth/gateway-failure.entity.js';

/** Every table that this room owns. */
export const COMMON_ENTITIES = [GatewayFailureEntity];
