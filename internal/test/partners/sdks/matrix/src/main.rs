use openapi::apis::{self, configuration::Configuration, Error};
use openapi::models::{ErrorResponse, Meta};
use std::env::var;

fn using(base: &str, key: &str) -> Configuration {
    Configuration { base_path: var(base).unwrap(), bearer_access_token: Some(key.to_string()), ..Configuration::new() }
}

fn say<T: serde::Serialize>(name: &str, answer: &T) {
    println!("{}\t{}", name, serde_json::to_string(answer).unwrap());
}

fn next(meta: &Meta) -> Option<String> {
    if meta.has_more == Some(true) { meta.next_cursor.clone().flatten() } else { None }
}

macro_rules! walk {
    ($name:expr, $after:ident, $call:expr) => {
        let mut $after: Option<String> = None;
        loop {
            let page = $call.await.unwrap();
            say(&$name, &page);
            $after = next(&page.meta);
            if $after.is_none() { break; }
        }
    };
}

// What was decoded of the body, as text: each operation has an error type of its own.
fn refused<T, E: serde::Serialize>(answer: Result<T, Error<E>>) {
    if let Err(Error::ResponseError(r)) = answer {
        let decoded = serde_json::to_value(r.entity.expect("a body that is decoded")).unwrap();
        let body: ErrorResponse = serde_json::from_value(decoded).unwrap();
        println!("error {}\t{:?}", r.status.as_u16(), body.code.unwrap());
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    for mode in ["canonical", "legacy"] {
        let c = using("BASE", &var(mode.to_uppercase()).unwrap());
        walk!(format!("{mode} interviews"), after, apis::interviews_api::list_interviews(&c, Some(2), after.as_deref(), None, None, None, None));
        let first = apis::interviews_api::list_interviews(&c, Some(1), None, None, None, None, None).await.unwrap();
        say(&format!("{mode} interview"), &apis::interviews_api::get_interview(&c, &first.data[0].id.to_string()).await.unwrap());
        walk!(format!("{mode} campaigns"), after, apis::campaigns_api::list_campaigns(&c, Some(2), after.as_deref(), None, None, None, None, None));
        for (name, surface) in [("synthesis", None), ("portal", Some("portal"))] {
            walk!(format!("{mode} {name}"), after, apis::synthesis_api::list_synthesis(
                &c, Some(2), after.as_deref(), None, None, None, None, surface, None, None, None, None, None));
        }
        say(&format!("{mode} analytics"),
            &apis::analytics_api::get_interview_analytics(&c, None, Some("2026-03-01"), Some("2026-03-31")).await.unwrap());
        say(&format!("{mode} search"), &apis::search_api::search_intelligence(&c, "late", None, None).await.unwrap());
    }
    let canonical = using("BASE", &var("CANONICAL").unwrap());
    refused(apis::interviews_api::list_interviews(&canonical, None, None, None, None, Some("yesterday"), None).await);
    refused(apis::interviews_api::get_interview(&canonical, "00000000-0000-4000-8000-000000000000").await);
    let (narrow, spent) = (var("NARROW").unwrap(), var("SPENT").unwrap());
    for c in [using("BASE", "cik_wrong"), using("BASE", &narrow), using("LIMITED", &spent), using("STUB", "cik_any")] {
        refused(apis::interviews_api::list_interviews(&c, None, None, None, None, None, None).await);
    }
    refused(apis::campaigns_api::list_campaigns(&using("STUB", "cik_any"), None, None, None, None, None, None, None).await);
}
