import { CommandRefused } from '../../../common/command-line/command-refused.js';
import {
  type ComputeDevice,
  hostOf,
  isIpAddress,
  isLoopback,
  portOf,
  sharesNetwork,
  startEnvironment,
  type StartFile,
  type StartPlan,
  storagePath,
  yamlText,
} from './start-plan.js';

const GPU: Readonly<Record<ComputeDevice, object>> = {
  cpu: {},
  cuda: { resources: { limits: { 'nvidia.com/gpu': 1 } } },
  rocm: { resources: { limits: { 'amd.com/gpu': 1 } } },
};

/** The name of the service in the cluster, at which Gatefold reaches the app. */
export function kubernetesName(plan: StartPlan): string {
  const host = hostOf(plan);
  const [label = ''] = host.split('.');
  if (!isLoopback(host) && !isIpAddress(host) && /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(label)) {
    return label;
  }
  const name = plan.appId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '');
  return (name || 'app').slice(0, 63).replace(/-+$/, '');
}

/**
 * Deployment, service and volume for Kubernetes, and the secret as an object of its own.
 *
 * @throws CommandRefused if the app could not call the service
 */
export function kubernetesFiles(plan: StartPlan, image: string): StartFile[] {
  if (sharesNetwork(plan)) {
    throw new CommandRefused(
      `An app in a cluster does not reach Gatefold at ${plan.gatewayUrl}. Name an address that it reaches with --nextcloud-url.`,
    );
  }
  const name = kubernetesName(plan);
  const objects = [claim(name), deployment(plan, name, image), service(plan, name)];
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    type: 'Opaque',
    stringData: { APP_SECRET: plan.secret },
  };
  return [
    { name: `${name}.yaml`, text: objects.map(yamlText).join('---\n'), isSecret: false },
    { name: `${name}-secret.yaml`, text: yamlText(secret), isSecret: true },
  ];
}

function claim(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
  };
}

function deployment(plan: StartPlan, name: string, image: string) {
  const storage = storagePath(plan);
  const labels = { app: name };
  const heartbeat = { httpGet: { path: '/heartbeat', port: portOf(plan) } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: 1,
      // The volume belongs to one process at a time.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Always',
          containers: [
            {
              name,
              image,
              env: [
                {
                  name: 'APP_SECRET',
                  valueFrom: { secretKeyRef: { name, key: 'APP_SECRET' } },
                },
                ...startEnvironment(plan, storage).map(([variable, value]) => ({
                  name: variable,
                  value: literal(value),
                })),
              ],
              ports: [{ containerPort: portOf(plan) }],
              readinessProbe: { ...heartbeat, periodSeconds: 10, timeoutSeconds: 5 },
              livenessProbe: {
                ...heartbeat,
                periodSeconds: 30,
                timeoutSeconds: 10,
                failureThreshold: 6,
              },
              volumeMounts: [{ name: 'data', mountPath: storage }],
              ...GPU[plan.device],
            },
          ],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
        },
      },
    },
  };
}

function service(plan: StartPlan, name: string) {
  const port = portOf(plan);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port, targetPort: port }] },
  };
}

/** Kubernetes replaces `$(NAME)` in values. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$');
}
