import { Logger } from '@nestjs/common';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { setTimeout as delay } from 'node:timers/promises';
import { recordSpans } from '../common/tracing/spans.js';

const LAST_SPANS_MS = 2000;

/**
 * Defaults of OpenTelemetry's settings for exporter and sampling. The trace of a caller continues, its
 * sampling decision does not: a sender must not choose what is recorded.
 */
const DEFAULTS = {
  OTEL_SERVICE_NAME: 'gatefold',
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_TRACES_SAMPLER: 'traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '1',
  OTEL_PROPAGATORS: 'tracecontext',
  OTEL_NODE_RESOURCE_DETECTORS: 'service,host',
  OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '4096',
};

/**
 * Starts to record spans and to send them to a collector; `OTEL_…` variables say where. Loads the SDK,
 * which is skipped in installations without traces. @returns a function that sends the remaining spans and
 * stops
 */
export async function startTraces(): Promise<() => Promise<void>> {
  for (const [name, value] of Object.entries(DEFAULTS)) {
    process.env[name] ??= value;
  }
  const { startNodeSdk } = await import('@opentelemetry/sdk-node');
  const sdk = startNodeSdk({ metricReaders: [], logRecordProcessors: [], logLevel: 'none' });
  logDiagnostics();
  recordSpans();
  return async () => {
    const sent = sdk.shutdown().catch((error: unknown) => diag.error(String(error)));
    // A stop does not wait for a collector that is away.
    await Promise.race([sent, delay(LAST_SPANS_MS, undefined, { ref: false })]);
  };
}

/** Faults of exporting, as lines of the log. */
function logDiagnostics(): void {
  const logger = new Logger('Traces');
  const tell = (message: string): void => logger.warn(message);
  const nothing = (): void => {};
  diag.setLogger(
    { error: tell, warn: tell, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
