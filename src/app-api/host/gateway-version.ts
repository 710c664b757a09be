/**
 * The version that apps are told, of the gateway whose interface we speak: they compare it with the
 * one that brought what they use. From 2.6.0 on file actions may redirect.
 */
export const GATEWAY_VERSION = '2.6.0';
