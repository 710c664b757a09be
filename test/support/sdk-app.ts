import type { Answer } from './api-client.js';
import { toOcs, type ExternalApp } from './external-app.js';

/** A task as the SDK's apps read it. */
export interface SdkTask {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly userId: string | null;
  readonly appId: string;
  readonly customId: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly preferStreaming: boolean;
  readonly progress: number | null;
  readonly userFacingErrorMessage: string | null;
}

export interface SdkNextTask {
  readonly task: SdkTask;
  readonly provider: { readonly name: string };
}

/** What the SDK raises for an answer with a status from 400 on; OCS answers say it in their meta. */
export class SdkError extends Error {
  constructor(
    readonly statusCode: number,
    readonly detail: unknown,
  ) {
    super(`the host answered with ${statusCode}`);
  }
}

interface SdkProvider {
  readonly id: string;
  readonly task_type: string;
  readonly [field: string]: unknown;
}

const PROVIDER = '/ocs/v2.php/taskprocessing/tasks_provider';

/**
 * Calls the gateway with the requests of nc_py_api: a JSON body also with GET, all fields of a provider
 * with `{}` for empty lists, and errors of polls and reports swallowed where the SDK swallows them.
 */
export class SdkApp {
  constructor(
    readonly app: ExternalApp,
    private readonly userId = '',
  ) {}

  /** The same app acting for a user: `set_user`. */
  as(userId: string | null): SdkApp {
    return new SdkApp(this.app, userId ?? '');
  }

  async ocs(method: string, path: string, json?: object): Promise<unknown> {
    const answer = await this.request(method, path, json && { json });
    if (answer.status === 204) {
      return [];
    }
    const { statuscode, data, httpStatus } = toOcs(answer);
    if (httpStatus >= 400 || (statuscode !== 100 && (statuscode < 200 || statuscode > 299))) {
      throw new SdkError(statuscode, data);
    }
    return data;
  }

  async request(
    method: string,
    path: string,
    options: { readonly json?: object; readonly body?: Buffer; readonly type?: string } = {},
  ): Promise<Answer> {
    const { json, body, type } = options;
    return this.app.as(this.userId).call(method, path, {
      query: { format: 'json' },
      ...(json && { json }),
      ...(body && { body }),
      ...(type && { headers: { 'content-type': type } }),
    });
  }

  async register(provider: SdkProvider, customTaskType: object | null = null): Promise<void> {
    const empty = {
      name: provider.id,
      expected_runtime: 0,
      optional_input_shape: [],
      optional_output_shape: [],
      input_shape_enum_values: {},
      optional_input_shape_enum_values: {},
      output_shape_enum_values: {},
      optional_output_shape_enum_values: {},
      input_shape_defaults: {},
      optional_input_shape_defaults: {},
    };
    await this.ocs('POST', '/ocs/v1.php/apps/app_api/api/v1/ai_provider/task_processing', {
      provider: { ...empty, ...provider },
      customTaskType,
    });
  }

  async unregister(id: string): Promise<void> {
    const path = '/ocs/v1.php/apps/app_api/api/v1/ai_provider/task_processing';
    await this.ocs('DELETE', `${path}?name=${encodeURIComponent(id)}`).catch(ignoreMissing);
  }

  /** @returns null where the SDK returns an empty list */
  async nextTask(providerIds: string[], taskTypeIds: string[]): Promise<SdkNextTask | null> {
    const next = await this.ocs('GET', `${PROVIDER}/next`, { providerIds, taskTypeIds });
    return Array.isArray(next) ? null : (next as SdkNextTask);
  }

  /** @param percentage as apps say it; the SDK sends hundredths */
  async setProgress(taskId: number, percentage: number): Promise<SdkTask> {
    const json = { taskId, progress: percentage / 100 };
    return taskIn(await this.ocs('POST', `${PROVIDER}/${taskId}/progress`, json));
  }

  async reportResult(
    taskId: number,
    output: object | null,
    errorMessage: string | null = null,
  ): Promise<SdkTask> {
    const json = { taskId, output, errorMessage, userFacingErrorMessage: null };
    return taskIn(await this.ocs('POST', `${PROVIDER}/${taskId}/result`, json));
  }

  async streamResult(taskId: number, output: object): Promise<SdkTask> {
    return taskIn(await this.ocs('POST', `${PROVIDER}/${taskId}/stream-result`, { output }));
  }

  /** A form as requests and httpx write it. */
  async uploadResultFile(taskId: number, bytes: Buffer, filename = 'file'): Promise<number> {
    const { body, type } = aForm('file', filename, bytes);
    const answer = await this.request('POST', `${PROVIDER}/${taskId}/file`, { body, type });
    if (answer.status >= 400) {
      throw new SdkError(answer.status, answer.json);
    }
    return (toOcs(answer).data as { fileId: number }).fileId;
  }

  /** As stt_whisper2: errors are JSON, everything else is the file. */
  async download(taskId: number, fileId: unknown): Promise<Answer> {
    const answer = await this.request('GET', `${PROVIDER}/${taskId}/file/${String(fileId)}`);
    if (answer.status >= 400) {
      throw new SdkError(answer.status, answer.json);
    }
    return answer;
  }
}

export function aForm(
  field: string,
  filename: string,
  bytes: Buffer,
): { readonly body: Buffer; readonly type: string } {
  const boundary = '5b1f0a3c9d7e4f62';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\n\r\n`;
  return {
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

function taskIn(data: unknown): SdkTask {
  return (data as { task: SdkTask }).task;
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof SdkError && error.statusCode === 404)) {
    throw error;
  }
}
