import { request, RequestFailed } from '../../host/http.js';

/** Whether this process accepts requests; false if it does not answer. */
export async function isReady(): Promise<boolean> {
  try {
    await request('/health/ready');
    return true;
  } catch (error) {
    if (error instanceof RequestFailed) {
      return false;
    }
    throw error;
  }
}
