// What clients report about their environment when they log in (behaviour/login#effects).

import Type from 'typebox';

const text = () => Type.Optional(Type.String({ maxLength: 1000 }));

/** The machine a client runs on. */
export const envInfoSchema = Type.Object({
  arch: text(),
  domain: text(),
  hostname: text(),
  os: text(),
  osRelease: text(),
  osVersion: text(),
});

/** The SDK that a client is built with. */
export const sdkInfoSchema = Type.Object({
  appId: text(),
  appVersion: text(),
  branch: text(),
  revision: text(),
  type: text(),
  version: text(),
});
