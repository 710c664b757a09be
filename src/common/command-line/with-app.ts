/** Finds a service of the application. */
export type Get = <Service>(token: abstract new (...args: never[]) => Service) => Service;

/** Runs `work` against the same database as a running service, and closes everything after it. */
export type WithApp = <Result>(work: (get: Get) => Promise<Result>) => Promise<Result>;
