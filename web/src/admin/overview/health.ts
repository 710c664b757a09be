import { request, RequestFailed } from '../../host/http.js';

/** Whether this process can take requests; false as well when nothing answers. */
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
