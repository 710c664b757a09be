import { page } from '../../host/page-context.js';

/** What people type into their clients. */
export const SERVER_ADDRESS = location.origin + page.webRoot;
