// How far the clusters of every sweep agree with the true groups: NMI and ARI, as Python computes them.

const entropy = (counts, total) => counts.reduce((sum, count) => (count > 0 ? sum - (count / total) * Math.log(count / total) : sum), 0);
const pairs = (counts) => counts.reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);

// `tracks` row after row, `groups` (N) from 0; returns the curves { agreement, adjusted_rand }.
export function agreementCurves(tracks, groups) {
  const nPoints = groups.length;
  const nGroups = groups.reduce((most, group) => Math.max(most, group), 0) + 1;
  const curves = { agreement: [], adjusted_rand: [] };
  for (let start = 0; start < tracks.length; start += nPoints) {
    const row = tracks.subarray(start, start + nPoints);
    const nClusters = row.reduce((most, track) => Math.max(most, track), 0) + 1;
    const table = new Float64Array(nClusters * nGroups);
    const [ofClusters, ofGroups] = [new Float64Array(nClusters), new Float64Array(nGroups)];
    for (let i = 0; i < nPoints; i += 1) {
      table[row[i] * nGroups + groups[i]] += 1;
      ofClusters[row[i]] += 1;
      ofGroups[groups[i]] += 1;
    }
    curves.agreement.push(nmi(table, ofClusters, ofGroups, nPoints));
    curves.adjusted_rand.push(ari(table, ofClusters, ofGroups, nPoints));
  }
  return curves;
}

function nmi(table, ofClusters, ofGroups, total) {
  const both = entropy(ofClusters, total) + entropy(ofGroups, total);
  return both === 0 ? 1 : Math.min(1, Math.max(0, (2 * (both - entropy(table, total))) / both));
}

function ari(table, ofClusters, ofGroups, total) {
  const [joint, clusters, groups] = [table, ofClusters, ofGroups].map(pairs);
  if (joint === clusters && joint === groups) return 1;
  const expected = (clusters * groups) / ((total * (total - 1)) / 2);
  return (joint - expected) / ((clusters + groups) / 2 - expected);
}
