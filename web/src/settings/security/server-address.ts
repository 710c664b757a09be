import { page } from '../../host/page-context.js';

/** The address that users enter in their clients. */
export const SERVER_ADDRESS = location.origin + page.webRoot;
