package io.headgate.server.bans;

import com.fasterxml.jackson.core.type.TypeReference;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Json;
import java.io.IOException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A page of the list of bans.
 *
 * @param entries the entries of the page, sorted by target
 * @param next the token of the next page; empty on the last one
 * @param total the number of all entries
 */
record BanPage(List<BanEntry> entries, Optional<String> next, int total) {

    /** The most entries of a page. */
    static final int MAX = 1000;

    /**
     * Returns a page.
     *
     * @param after the token of the page; empty for the first one
     * @throws ProblemException with status 400 if the token is malformed
     */
    static BanPage of(List<BanEntry> all, Optional<String> after, int limit) {
        Optional<BanTarget> last = after.map(BanPage::target);
        List<BanEntry> rest = all.stream()
                .filter(entry -> last.isEmpty() || entry.target().compareTo(last.get()) > 0)
                .limit(limit + 1L)
                .toList();
        List<BanEntry> page = rest.subList(0, Math.min(limit, rest.size()));
        Optional<String> next =
                rest.size() > limit ? Optional.of(token(page.get(limit - 1).target())) : Optional.empty();
        return new BanPage(page, next, all.size());
    }

    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("entries", entries.stream().map(BanJson::of).toList());
        members.put("total", total);
        next.ifPresent(token -> members.put("next", token));
        return members;
    }

    /** The target as URL-safe Base64 of a JSON array. */
    private static String token(BanTarget target) {
        byte[] json = Json.bytes(List.of(target.policy().orElse(""), target.attribute(), target.value()));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }

    private static BanTarget target(String token) {
        try {
            List<String> parts = Json.MAPPER.readValue(Base64.getUrlDecoder().decode(token), new TypeReference<>() {});
            if (parts.size() == 3) {
                return new BanTarget(
                        Optional.of(parts.get(0)).filter(policy -> !policy.isEmpty()), parts.get(1), parts.get(2));
            }
        } catch (IOException | IllegalArgumentException e) {
            // Reported below.
        }
        throw ProblemException.badRequest("after must be the value of next in an earlier response");
    }
}
