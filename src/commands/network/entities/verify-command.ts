// `verify ca`: proves control of a CA by a certificate that its key signs for the purpose.

import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { reasonOf } from '../../../../snapshots/errors.ts';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { answered } from '../../../client/index.ts';
import { pkiFileBytesMax } from '../../../pki/authority/files.ts';
import { backdatingMs } from '../../../pki/authority/own-ca.ts';
import { readKeyMaterial } from '../../../pki/import/key-material.ts';
import { PkiProblem } from '../../../pki/problem.ts';
import {
  certificateSigner,
  commonNameOnly,
  writeCertificate,
} from '../../../pki/x509/certificate-writer.ts';
import { printable } from '../../../platform/printable.ts';
import { CommandFailure } from '../command-failure.ts';
import { announce, type ConnectedCommand } from '../connection/connected-command.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type Entity, entityNamed, nameOf } from '../kinds/names.ts';
import { passwordOf, refuseWithoutPassword } from '../login/password-input.ts';

/** How long the certificate of a verification is good, which is used once. */
const proofMs = 3600_000;

/**
 * Verifies a CA by its private key, which stays here.
 * @throws CommandFailure for a key that cannot be read or is that of another CA
 */
export async function verifyCa(
  command: ConnectedCommand,
  kindWord: string,
  name: string,
): Promise<void> {
  const { connection, flags, context } = command;
  if (!/^cas?$/i.test(kindWord)) {
    throw CommandFailure.wrong(`only a CA is verified, and no ${kindWord}: verify ca NAME`);
  }
  if (typeof flags['key'] !== 'string') {
    throw CommandFailure.wrong('say where the private key of the CA is: --key FILE');
  }
  const key = await keyIn(flags['key'], flags, context);
  announce(command);
  const kind = kindNamed('ca');
  const ca = await connection.get(kind, (await entityNamed(connection, kind, name)).id);
  if (ca['isVerified'] === true) {
    throw CommandFailure.failed(`ca ${JSON.stringify(nameOf(ca))} is verified already.`);
  }
  const body = proofOf(ca, key, context);
  const { management } = await connection.client();
  await answered(
    management.POST('/cas/{id}/verify', {
      params: { path: { id: ca.id } },
      body,
      bodySerializer: (pem) => pem,
      headers: { 'content-type': 'text/plain' },
    }),
  );
  context.out(`verified ca ${printable(nameOf(ca))}\n`);
}

/** The one private key of a file. */
async function keyIn(
  file: string,
  flags: ConnectedCommand['flags'],
  context: ProcessContext,
): Promise<KeyObject> {
  const path = resolve(context.directory, file);
  let bytes: Buffer;
  try {
    bytes = context.readBytes(path, { bytesMax: pkiFileBytesMax, isRegular: false });
  } catch (error) {
    throw CommandFailure.wrong(`${path} cannot be read: ${reasonOf(error)}.`);
  }
  try {
    const ask = async () => {
      refuseWithoutPassword(path, flags, context);
      return passwordOf(path, flags, context);
    };
    const { keys } = await readKeyMaterial({ name: path, bytes }, ask);
    const [key] = keys;
    if (key !== undefined && keys.length === 1) return key;
    throw CommandFailure.wrong(`${path} holds ${keys.length} private keys, and must hold one.`);
  } catch (error) {
    throw error instanceof PkiProblem ? CommandFailure.wrong(error.message) : error;
  }
}

/** PEM of a certificate for the verification token, whose own key is thrown away. */
function proofOf(ca: Entity, key: KeyObject, { clock, random }: ProcessContext): string {
  const certificate = new X509Certificate(String(ca['certPem']));
  if (!certificate.checkPrivateKey(key)) {
    const name = JSON.stringify(nameOf(ca));
    throw CommandFailure.wrong(`the key is not that of ca ${name}. Nothing was changed.`);
  }
  try {
    const nowMs = clock.now();
    const proof = writeCertificate(
      {
        subject: commonNameOnly(String(ca['verificationToken'])),
        publicKey: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey,
        alternativeNames: [],
        notBeforeMs: nowMs - backdatingMs,
        notAfterMs: nowMs + proofMs,
        use: { as: 'end', extendedUsages: ['clientAuth'] },
      },
      certificateSigner({ key, certificate }),
      random,
    );
    return proof.toString();
  } catch (error) {
    throw error instanceof PkiProblem ? CommandFailure.wrong(error.message) : error;
  }
}
