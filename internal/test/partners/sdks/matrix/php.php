<?php
// Debian's packages bring Guzzle, the generated code comes from here.
require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/lib/' . str_replace('\\', '/', substr($class, strlen('OpenAPI\Client\\'))) . '.php';
    if (is_file($file)) {
        require $file;
    }
});

use OpenAPI\Client\Api\{AnalyticsApi, CampaignsApi, InterviewsApi, SearchApi, SynthesisApi};
use OpenAPI\Client\{ApiException, Configuration, ObjectSerializer};

function using(string $base, string $key): array
{
    return [new GuzzleHttp\Client(), (new Configuration())->setHost(getenv($base))->setAccessToken($key)];
}

function say(string $name, mixed $answer): void
{
    echo $name, "\t", json_encode(ObjectSerializer::sanitizeForSerialization($answer), JSON_PRESERVE_ZERO_FRACTION), "\n";
}

function walk(string $name, callable $call): void
{
    for ($after = null; ; ) {
        $page = $call($after);
        say($name, $page);
        if (!$page->getMeta()->getHasMore()) {
            return;
        }
        $after = $page->getMeta()->getNextCursor();
    }
}

foreach (['canonical', 'legacy'] as $mode) {
    $with = using('BASE', getenv(strtoupper($mode)));
    $interviews = new InterviewsApi(...$with);
    $synthesis = new SynthesisApi(...$with);
    walk("$mode interviews", fn($after) => $interviews->listInterviews(2, $after));
    say("$mode interview", $interviews->getInterview($interviews->listInterviews(1)->getData()[0]->getId()));
    walk("$mode campaigns", fn($after) => (new CampaignsApi(...$with))->listCampaigns(2, $after));
    walk("$mode synthesis", fn($after) => $synthesis->listSynthesis(limit: 2, starting_after: $after));
    walk("$mode portal", fn($after) => $synthesis->listSynthesis(limit: 2, starting_after: $after, surface: 'portal'));
    say("$mode analytics", (new AnalyticsApi(...$with))->getInterviewAnalytics(date_from: '2026-03-01', date_to: '2026-03-31'));
    say("$mode search", (new SearchApi(...$with))->searchIntelligence('late'));
}

function refused(callable $call): void
{
    try {
        $call();
    } catch (ApiException $error) {
        echo 'error ', $error->getCode(), "\t", json_encode($error->getResponseObject()->getCode()), "\n";
    }
}

$canonical = new InterviewsApi(...using('BASE', getenv('CANONICAL')));
refused(fn() => $canonical->listInterviews(date_from: 'yesterday'));
refused(fn() => (new InterviewsApi(...using('BASE', 'cik_wrong')))->listInterviews());
refused(fn() => (new InterviewsApi(...using('BASE', getenv('NARROW'))))->listInterviews());
refused(fn() => $canonical->getInterview('00000000-0000-4000-8000-000000000000'));
refused(fn() => (new InterviewsApi(...using('LIMITED', getenv('SPENT'))))->listInterviews());
refused(fn() => (new InterviewsApi(...using('STUB', 'cik_any')))->listInterviews());
refused(fn() => (new CampaignsApi(...using('STUB', 'cik_any')))->listCampaigns());
