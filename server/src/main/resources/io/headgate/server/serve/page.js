"use strict";
const put = (name, value) => {
  for (const at of document.querySelectorAll("[data-of]")) {
    if (at.dataset.of === name) at.textContent = value;
  }
};
const uptime = (seconds) => {
  const two = (n) => String(n).padStart(2, "0");
  return Math.floor(seconds / 3600) + ":" + two(Math.floor(seconds / 60) % 60) + ":" + two(seconds % 60);
};
const refresh = async () => {
  try {
    const status = await (await fetch("/v1/status", { cache: "no-store" })).json();
    put("uptime", uptime(status.uptimeSeconds));
    put("health", Object.entries(status.health).map(([name, state]) => name + ": " + state).join(", "));
    const version = status.policyVersion;
    if (version) {
      const rejected = version.rejected;
      put("policies", "version " + version.version + ", since " + version.since
        + (rejected ? "; " + rejected.summary : ""));
    }
    for (const policy of status.policies) {
      put(policy.policy + " allowed", policy.allowed);
      put(policy.policy + " denied", policy.denied);
      put(policy.policy + " by fallback", policy.byFallback);
      put(policy.policy + " failed", policy.failed);
      for (const rule of policy.rules) {
        put(policy.policy + " by " + rule.rule, rule.deniedInShadow ?? rule.denied);
      }
    }
    put("quiet", "");
  } catch (e) {
    put("quiet", "The server does not respond; these numbers are old.");
  }
};
setInterval(refresh, 2000);
