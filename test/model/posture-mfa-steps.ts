// What clients do at random with their second factor, and what administrators do to it.

import type { Answer } from '../simulated/network.ts';
import { type Run, stepMs, totpCode } from './posture-run.ts';
import type { ApiSession, Identity, Mfa } from './posture-things.ts';

/** A step of the second factor, mostly one that leads on. */
export async function secondFactor(run: Run): Promise<void> {
  const { draw, network } = run;
  const session = run.any();
  if (session === undefined || session.token === network.admin) return;
  const { mfa } = run.ownerOf(session);
  const leads = mfa === undefined ? initiate : mfa.isVerified ? prove : verify;
  const others = [initiate, verify, prove, prove, removeOwn, removeByAdmin, renewCodes];
  await (draw.chance(3, 4) ? leads : draw.pick(others))(run, session);
}

async function initiate(run: Run, session: ApiSession): Promise<void> {
  const { world } = run;
  const { token } = session;
  const identity = run.ownerOf(session);
  const answer = await run.act('POST', 'C:/current-identity/mfa', { token });
  if (identity.mfa !== undefined) {
    run.expect('initiate MFA twice', answer, 409, 'MFA_EXISTS');
    return;
  }
  if (!run.expect('initiate MFA', answer, 201)) return;
  const shown = await run.network.call('GET', 'C:/current-identity/mfa', { token });
  if (!run.expect('pending MFA', shown, 200)) return;
  const { provisioningUrl, recoveryCodes } = shown.data as {
    provisioningUrl: string;
    recoveryCodes: string[];
  };
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  world.change(() => {
    identity.mfa = {
      isVerified: false,
      createdAt: world.now,
      secret,
      codes: recoveryCodes,
      lastStep: 0,
      usedStep: 0,
      usedAt: undefined,
    };
  });
}

interface Code {
  readonly text: string;
  /** The time step of a TOTP code; undefined for others. */
  readonly step: number | undefined;
  readonly isRecovery: boolean;
}

/** A code that is mostly one of now; an enrollment that isn't there has codes of its own. */
function drawCode({ draw, world }: Run, mfa: Mfa | undefined): Code {
  const kind = draw.below(12);
  const recovery = kind === 0 ? draw.oneOf(mfa?.codes ?? []) : undefined;
  if (recovery !== undefined) return { text: recovery, step: undefined, isRecovery: true };
  if (kind === 1) return { text: 'AAAAA1', step: undefined, isRecovery: false };
  const off = kind === 2 ? draw.pick([-4, 4]) : kind < 5 ? draw.pick([-1, 1]) : 0;
  const step = Math.floor(world.now / stepMs) + off;
  const text = totpCode(mfa?.secret ?? 'ABCDEFGHABCDEFGH', step);
  return { text, step: Math.abs(off) <= 1 ? step : undefined, isRecovery: false };
}

/** Whether a code was used and comes back, by a clock that was set back or after a restart. */
function isReplayed({ network }: Run, { usedStep, usedAt }: Mfa, step = usedStep + 1): boolean {
  if (step > usedStep) return false;
  return usedAt === undefined || network.clock.monotonic() - usedAt >= 3 * stepMs;
}

/** Whether a code counts where recovery codes do. */
function isGood(run: Run, mfa: Mfa, { isRecovery, step }: Code): boolean {
  return isRecovery || (step !== undefined && !isReplayed(run, mfa, step));
}

function noteStep({ network }: Run, mfa: Mfa, step = 0): void {
  if (step <= mfa.usedStep) return;
  Object.assign(mfa, { usedStep: step, usedAt: network.clock.monotonic() });
}

async function verify(run: Run, session: ApiSession): Promise<void> {
  const { world } = run;
  const { mfa } = run.ownerOf(session);
  const code = drawCode(run, mfa);
  const answer = await run.act('POST', 'C:/current-identity/mfa/verify', {
    token: session.token,
    body: { code: code.text },
  });
  if (mfa === undefined || mfa.isVerified) {
    run.expect('verify without a pending MFA', answer, 404, 'NOT_FOUND');
  } else if (code.step === undefined) {
    run.expect('verify with a wrong code', answer, 401, 'MFA_INVALID_TOKEN');
  } else if (run.expect('verify', answer, 200)) {
    world.change(
      () => {
        mfa.isVerified = true;
        noteStep(run, mfa, code.step);
        Object.assign(session, { isMfaRequired: true, isMfaComplete: true });
        session.mfaPassedAt = world.now;
      },
      { may: () => [session.identityId] },
    );
  }
}

/** Authenticate-MFA: a code of a time step is good once (behaviour/mfa#single-use). */
async function prove(run: Run, session: ApiSession): Promise<void> {
  const { world } = run;
  const { mfa } = run.ownerOf(session);
  const code = drawCode(run, mfa);
  const answer = await run.act('POST', 'C:/authenticate/mfa', {
    token: session.token,
    body: { code: code.text },
  });
  if (mfa?.isVerified !== true) {
    run.expect('prove without verified MFA', answer, 401, 'MFA_NOT_ENROLLED');
    return;
  }
  const isLater = code.isRecovery || (code.step ?? 0) > mfa.lastStep;
  if (!isLater || !isGood(run, mfa, code)) {
    run.expect('prove with a wrong or used code', answer, 401, 'MFA_INVALID_TOKEN');
    return;
  }
  if (!run.expect('prove', answer, 200)) return;
  world.change(
    () => {
      if (code.isRecovery) mfa.codes = mfa.codes.filter((one) => one !== code.text);
      mfa.lastStep = Math.max(mfa.lastStep, code.step ?? 0);
      noteStep(run, mfa, code.step);
      session.isMfaComplete = true;
      session.mfaPassedAt = world.now;
    },
    { may: () => [session.identityId] },
  );
}

/** What an identity may do with its MFA: only where it owes nothing. */
async function whileFull(run: Run, session: ApiSession, answer: Answer): Promise<boolean> {
  if (!run.world.isPartial(session)) return true;
  run.expect('MFA while partial', answer, 401, 'UNAUTHORIZED');
  return false;
}

async function removeOwn(run: Run, session: ApiSession): Promise<void> {
  const identity = run.ownerOf(session);
  const { mfa } = identity;
  const code = drawCode(run, mfa);
  const answer = await run.act('DELETE', 'C:/current-identity/mfa', {
    token: session.token,
    headers: { 'mfa-validation-code': code.text },
  });
  if (!(await whileFull(run, session, answer))) return;
  if (mfa === undefined) run.expect('remove no MFA', answer, 404, 'NOT_FOUND');
  else if (mfa.isVerified && !isGood(run, mfa, code)) {
    run.expect('remove MFA with a wrong code', answer, 401, 'MFA_INVALID_TOKEN');
  } else if (run.expect('remove MFA', answer, 200)) forgetMfa(run, identity);
}

async function removeByAdmin(run: Run, session: ApiSession): Promise<void> {
  const identity = run.ownerOf(session);
  const answer = await run.act('DELETE', `M:/identities/${identity.id}/mfa`);
  if (run.expect("administrator's removal", answer, 200)) forgetMfa(run, identity);
}

function forgetMfa({ world }: Run, identity: Identity): void {
  world.change(() => void (identity.mfa = undefined), { may: () => [identity.id] });
}

async function renewCodes(run: Run, session: ApiSession): Promise<void> {
  const { world, network } = run;
  const { token } = session;
  const { mfa } = run.ownerOf(session);
  const code = drawCode(run, mfa);
  const path = 'C:/current-identity/mfa/recovery-codes';
  const answer = await run.act('POST', path, { token, body: { code: code.text } });
  if (!(await whileFull(run, session, answer))) return;
  if (mfa?.isVerified !== true) run.expect('codes of no MFA', answer, 404, 'NOT_FOUND');
  else if (!isGood(run, mfa, code)) {
    run.expect('renew codes with a wrong code', answer, 401, 'MFA_INVALID_TOKEN');
  } else if (run.expect('renew codes', answer, 200)) {
    world.change(() => {
      noteStep(run, mfa, code.step);
      mfa.codes = [];
    });
    const step = Math.floor(world.now / stepMs);
    const headers = { 'mfa-validation-code': totpCode(mfa.secret, step) };
    const shown = await network.call('GET', path, { token, headers });
    if (isReplayed(run, mfa, step)) {
      run.expect('the new codes by a used one', shown, 401, 'MFA_INVALID_TOKEN');
    } else if (run.expect('the new codes', shown, 200)) {
      const { recoveryCodes } = shown.data as { recoveryCodes: string[] };
      world.change(() => {
        noteStep(run, mfa, step);
        mfa.codes = recoveryCodes;
      });
    }
  }
}
