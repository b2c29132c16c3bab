package io.headgate.server.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Detects requests that a page of another site makes a browser send (cross-site request forgery). It uses the header fields that
 * browsers set and pages cannot forge. Clients that send none of them pass.
 */
final class CrossSiteRequests {

    private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

    /** An origin, or a URL that begins with one: the group is its authority. */
    private static final Pattern ORIGIN = Pattern.compile("https?://([^/?#]*).*");

    private CrossSiteRequests() {}

    /**
     * Returns whether the request comes from a page of another site, or of another origin of this site, as far as the browser reports it.
     */
    static boolean isCrossSite(RequestHeaders headers) {
        @Nullable String site = headers.get("sec-fetch-site");
        return (site != null && !OWN_SITE.contains(site))
                || isForeign(headers.get(HttpHeaderNames.ORIGIN), headers)
                || isForeign(headers.get(HttpHeaderNames.REFERER), headers);
    }

    private static boolean isForeign(@Nullable String page, RequestHeaders headers) {
        if (page == null || page.isEmpty()) {
            return false;
        }
        Matcher origin = ORIGIN.matcher(page);
        return !origin.matches() || !origin.group(1).equalsIgnoreCase(headers.authority());
    }
}
