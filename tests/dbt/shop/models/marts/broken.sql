select cast(email as integer) as email from {{ ref('customers') }}
