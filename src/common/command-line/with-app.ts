/** Gets a service of the application. */
export type Get = <Service>(token: abstract new (...args: never[]) => Service) => Service;

/** Runs `work` on the database of a possibly running service, then closes all resources. */
export type WithApp = <Result>(work: (get: Get) => Promise<Result>) => Promise<Result>;
