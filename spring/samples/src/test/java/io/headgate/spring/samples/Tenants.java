package io.headgate.spring.samples;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Tokens of many tenants, signed with the key that the applications of a test are given. */
final class Tenants {

    static final String KEY = "a key of the tests that has 32 bytes or more";

    private static final Map<String, String> TOKENS = new ConcurrentHashMap<>();

    private Tenants() {}

    /** A token of a user of this tenant. */
    static String token(String tenant) {
        return TOKENS.computeIfAbsent(tenant, Tenants::issue);
    }

    private static String issue(String tenant) {
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .subject("user of " + tenant)
                .claim("tenant", tenant)
                .expirationTime(Date.from(Instant.now().plusSeconds(3600)))
                .build();
        SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
        try {
            token.sign(new MACSigner(KEY.getBytes(StandardCharsets.UTF_8)));
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
        return token.serialize();
    }
}
