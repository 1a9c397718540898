import { SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { sendTracesTo } from '#lib/tracing.ts';

export function exportTraces(): void {
  const named = detectResources({ detectors: [envDetector] });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'chainbreak' }).merge(named),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const tracer = trace.getTracer('chainbreak');
  sendTracesTo({
    record: (name, attributes, task) =>
      tracer.startActiveSpan(name, { attributes }, async (span) => {
        try {
          return await task();
        } catch (error) {
          // Without the message, which can quote what was sent.
          span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'unknown' });
          throw error;
        } finally {
          span.end();
        }
      }),
    describe: (attributes) => trace.getActiveSpan()?.setAttributes(attributes),
  });
}
