import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import type { IncomingHttpHeaders } from 'node:http';

export type { Span };

/** Without tracing, no span is created: the hot paths pay one comparison. */
let isOn = false;

/** Called after the SDK has been started. @see src/cli/start-traces.ts */
export function recordSpans(): void {
  isOn = true;
}

/**
 * Runs work as a span of the trace that is open here. Names and attributes have few values and no
 * contents: no user input, no addresses with queries, no values of statements.
 */
export async function traced<Result>(
  name: string,
  attributes: Attributes,
  work: (span: Span | undefined) => Promise<Result>,
  kind: SpanKind = SpanKind.INTERNAL,
): Promise<Result> {
  if (!isOn) {
    return work(undefined);
  }
  const span = tracer().startSpan(name, { kind, attributes });
  return context.with(trace.setSpan(context.active(), span), async () => {
    try {
      return await work(span);
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Traces work that waits for another program. */
export async function tracedCall<Result>(
  name: string,
  attributes: Attributes,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  return traced(name, attributes, work, SpanKind.CLIENT);
}

/**
 * A span for a request that is served.
 *
 * @param headers of a trusted sender, whose trace continues here; undefined begins a trace
 * @param serve is called within the span
 * @returns the span, to be ended with the answer; undefined without traces
 */
export function tracedRequest(
  method: string,
  headers: IncomingHttpHeaders | undefined,
  serve: () => void,
): Span | undefined {
  if (!isOn) {
    serve();
    return undefined;
  }
  const parent = headers === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, headers);
  const attributes = { 'http.request.method': method };
  const span = tracer().startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
  context.with(trace.setSpan(parent, span), serve);
  return span;
}

/** Headers that let an external app continue the open trace; none without traces. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  if (isOn) {
    propagation.inject(context.active(), headers);
  }
  return headers;
}

/** Trace id of the open span, for logs. */
export function traceId(within: Context = context.active()): string | undefined {
  return isOn ? trace.getSpan(within)?.spanContext().traceId : undefined;
}

/** Records only the type of an error: messages may contain input. */
function failed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
}

function tracer() {
  return trace.getTracer('gatefold');
}
