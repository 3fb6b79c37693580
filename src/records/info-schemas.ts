// What clients say of their surroundings when they log in (behaviour/login#effects).

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

/** The software a client is made with. */
export const sdkInfoSchema = Type.Object({
  appId: text(),
  appVersion: text(),
  branch: text(),
  revision: text(),
  type: text(),
  version: text(),
});
