// The tables of `explain --all`: policies, posture checks and edge routers.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import type {
  ExplainedRouterPolicies,
  ExplainedServicePolicy,
  ExplainedSide,
  Explanation,
} from '../../../explain/schema.ts';
import { routerState } from '../kinds/columns.ts';
import { type OutputOrder, tableOf } from '../output/output.ts';
import type { Column } from '../output/table.ts';

/** Prints the tables that have rows, with a line between them. */
export function printTables(
  explanation: Explanation,
  order: OutputOrder,
  context: ProcessContext,
): void {
  print(policyRows(explanation), policyColumns, policiesTotal(explanation), 'policies');
  const checks = checkRows(explanation);
  print(checks.rows, checkColumns, checks.total, 'posture checks');
  const routers = routerRows(explanation);
  print(routers.rows, routerColumns, routers.total, 'edge routers');

  function print<R>(
    rows: readonly R[],
    columns: readonly Column<R>[],
    total: number,
    plural: string,
  ): void {
    if (rows.length === 0) return;
    const lines = [...tableOf(plural, columns, rows, order, context).lines(rows)];
    context.out(`\n${lines.join('\n')}\n`);
    if (rows.length < total) context.err(`${rows.length} of ${total} ${plural} are shown\n`);
  }
}

interface PolicyRow {
  readonly name: string;
  readonly type: string;
  /** By which roles it selects the identity, or what is missing; empty without such a side. */
  readonly identity: string;
  readonly service: string;
  readonly routers: string;
  readonly posture: string;
}

const policyColumns: readonly Column<PolicyRow>[] = [
  { title: 'POLICY', isFlexible: true, text: ({ name }) => name },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'IDENTITY', isFlexible: true, text: ({ identity }) => identity },
  { title: 'SERVICE', isFlexible: true, text: ({ service }) => service },
  { title: 'ROUTERS', text: ({ routers }) => routers },
  { title: 'POSTURE', text: ({ posture }) => posture },
];

function policyRows({
  servicePolicies,
  edgeRouterPolicies,
  serviceEdgeRouterPolicies,
}: Explanation): PolicyRow[] {
  return [
    ...servicePolicies.shown.map((policy) => ({
      name: policy.name,
      type: policy.type,
      identity: sideText(policy.identity),
      service: sideText(policy.service),
      routers: '',
      posture: policy.isPosturePassing ? 'passes' : 'fails',
    })),
    ...routerPolicyRows('edge-router', 'identity', edgeRouterPolicies),
    ...routerPolicyRows('service-edge-router', 'service', serviceEdgeRouterPolicies),
  ];
}

function routerPolicyRows(
  type: string,
  side: 'identity' | 'service',
  { selecting }: ExplainedRouterPolicies,
): PolicyRow[] {
  return selecting.shown.map(({ name, matchedBy, routerCount }) => ({
    name,
    type,
    identity: side === 'identity' ? excerptText(matchedBy) : '',
    service: side === 'service' ? excerptText(matchedBy) : '',
    routers: String(routerCount),
    posture: '',
  }));
}

function sideText({ isMatching, matchedBy, lacks }: ExplainedSide): string {
  if (isMatching) return excerptText(matchedBy);
  return lacks.total === 0 ? 'not named' : `lacks ${excerptText(lacks)}`;
}

function excerptText({ shown, total }: ExplainedSide['lacks']): string {
  return shown.length < total ? `${shown.join(',')},…` : shown.join(',');
}

function policiesTotal({
  servicePolicies: { linkingTotal, identityOnlyTotal, serviceOnlyTotal },
  edgeRouterPolicies,
  serviceEdgeRouterPolicies,
}: Explanation): number {
  const routerPolicies =
    edgeRouterPolicies.selecting.total + serviceEdgeRouterPolicies.selecting.total;
  return linkingTotal + identityOnlyTotal + serviceOnlyTotal + routerPolicies;
}

type Check = ExplainedServicePolicy['postureChecks']['shown'][number];
type CheckRow = Check & { readonly policy: string };

const checkColumns: readonly Column<CheckRow>[] = [
  { title: 'CHECK', isFlexible: true, text: ({ name }) => name },
  { title: 'POLICY', isFlexible: true, text: ({ policy }) => policy },
  { title: 'TYPE', text: ({ typeId }) => typeId },
  { title: 'RESULT', text: ({ isPassing }) => (isPassing ? 'passes' : 'fails') },
  { title: 'WHY', isFlexible: true, text: ({ why }) => why },
];

function checkRows({ servicePolicies: { shown } }: Explanation) {
  const rows = shown.flatMap(({ name, postureChecks }) =>
    postureChecks.shown.map((check) => ({ ...check, policy: name })),
  );
  return { rows, total: shown.reduce((sum, policy) => sum + policy.postureChecks.total, 0) };
}

type Router = Explanation['routers']['common']['shown'][number];
type RouterRow = Router & { readonly usableBy: string };

const routerColumns: readonly Column<RouterRow>[] = [
  { title: 'ROUTER', isFlexible: true, text: ({ name }) => name },
  { title: 'STATE', text: (router) => routerState({ ...router }) },
  { title: 'USABLE BY', text: ({ usableBy }) => usableBy },
];

function routerRows({ routers: { common, identityOnly, serviceOnly } }: Explanation) {
  const lists = [
    ['both', common],
    ['identity', identityOnly],
    ['service', serviceOnly],
  ] as const;
  return {
    rows: lists.flatMap(([usableBy, { shown }]) =>
      shown.map((router) => ({ ...router, usableBy })),
    ),
    total: lists.reduce((sum, [, list]) => sum + list.total, 0),
  };
}
